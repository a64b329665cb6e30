// A tensor's rows in another storage and order, piece by piece.
#pragma once
#include <functional>
#include <span>

#include "model/checkpoint/contents.hpp"
#include "model/checkpoint/narrow.hpp"

namespace lawful::model {

/// Calls `each` with the bytes of `tensor` in `storage` and `order`, in pieces of about a megabyte, front to back. Rows
/// that are stored so already are passed on as they are. `half` is half a head's width. Throws io::BadInput naming the
/// tensor where its rows are not whole blocks of `storage`, or a value has no number there.
void each_piece(const StoredTensor& tensor, kernels::Storage storage, kernels::RowOrder order, std::size_t half,
                const std::function<void(std::span<const std::byte>)>& each);

}  // namespace lawful::model
