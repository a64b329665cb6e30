// candle's Llama in F32 on the CPU as a worker for bench/compare.
//
//     candle-llama MODEL_FOLDER        (config.json, model.safetensors; threads: RAYON_NUM_THREADS)
//
// One line "ready SECONDS" once the model is loaded. Then it reads lines and answers each with one line of seconds:
//     prefill N            a prompt of N tokens into an empty cache
//     decode PAST N        N tokens, one at a time, after PAST cached ones
// The token ids are of no matter: (7919 i + 13) mod 49152.
use std::io::{BufRead, Write};
use std::time::Instant;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::llama::{Cache, Config, Llama, LlamaConfig};

struct Worker {
    model: Llama,
    config: Config,
    device: Device,
}

impl Worker {
    fn load(folder: &str) -> Result<Self> {
        let device = Device::Cpu;
        let text = std::fs::read_to_string(format!("{folder}/config.json"))?;
        let config: LlamaConfig = serde_json::from_str(&text).map_err(candle_core::Error::wrap)?;
        let config = config.into_config(false);
        let weights = [format!("{folder}/model.safetensors")];
        // Safety: the file is not changed while it is mapped.
        let tensors = unsafe { VarBuilder::from_mmaped_safetensors(&weights, DType::F32, &device)? };
        let model = Llama::load(tensors, &config)?;
        Ok(Self { model, config, device })
    }

    fn empty_cache(&self) -> Result<Cache> {
        Cache::new(true, DType::F32, &self.config, &self.device)
    }

    /// Runs tokens first .. first + count of the made-up text in one call.
    fn step(&self, cache: &mut Cache, first: usize, count: usize) -> Result<()> {
        let ids: Vec<u32> = (first..first + count).map(|i| ((7919 * i + 13) % 49152) as u32).collect();
        let input = Tensor::new(ids, &self.device)?.unsqueeze(0)?;
        self.model.forward(&input, first, cache)?.sum_all()?.to_scalar::<f32>()?;
        Ok(())
    }

    fn prefill(&self, count: usize) -> Result<f64> {
        let mut cache = self.empty_cache()?;
        let start = Instant::now();
        self.step(&mut cache, 0, count)?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn decode(&self, past: usize, count: usize) -> Result<f64> {
        let mut cache = self.empty_cache()?;
        if past > 0 {
            self.step(&mut cache, 0, past)?;
        }
        let start = Instant::now();
        for i in 0..count {
            self.step(&mut cache, past + i, 1)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }

    fn answer(&self, line: &str) -> Result<f64> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |i: usize| words[i].parse::<usize>().map_err(candle_core::Error::wrap);
        match (words.first().copied(), words.len()) {
            (Some("prefill"), 2) => self.prefill(number(1)?),
            (Some("decode"), 3) => self.decode(number(1)?, number(2)?),
            _ => candle_core::bail!("expected `prefill N` or `decode PAST N`, found `{line}`"),
        }
    }
}

fn main() -> Result<()> {
    let folder = match std::env::args().nth(1) {
        Some(folder) => folder,
        None => candle_core::bail!("expected a model folder"),
    };
    let start = Instant::now();
    let worker = Worker::load(&folder)?;
    println!("ready {}", start.elapsed().as_secs_f64());
    for line in std::io::stdin().lock().lines() {
        println!("{}", worker.answer(&line?)?);
        std::io::stdout().flush()?;
    }
    Ok(())
}
