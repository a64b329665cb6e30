"""Every single edit of some functions, read off clang++'s syntax tree of them.

Five kinds: exchange two arguments or operands of one call; drop a statement; repeat a statement; replace an argument,
or the object of a call, by another variable in scope; replace a member by a sibling of its class. What changes nothing
by the language's own rules is no edit: operands of == and the like exchanged, a return or a check that throws repeated.
"""
import dataclasses
import json
import re
import subprocess

CALLS = {"CallExpr", "CXXMemberCallExpr", "CXXOperatorCallExpr"}
CONSTRUCTIONS = {"CXXConstructExpr", "CXXTemporaryObjectExpr", "CXXUnresolvedConstructExpr", "InitListExpr",
                 "ParenListExpr", "CXXFunctionalCastExpr"}
SYMMETRIC = {"==", "!=", "+", "*", "&&", "||"}
BODIES = {"FunctionDecl", "CXXMethodDecl"}


@dataclasses.dataclass(frozen=True, order=True)
class Edit:
    """Bytes [begin, end) of a file become `text`."""
    begin: int
    end: int
    text: str
    kind: str
    what: str

    def applied(self, source):
        return source[:self.begin] + self.text.encode() + source[self.end:]


def syntax_tree(compiler, source, namespace):
    """What clang++ reads in `namespace`, one tree for each declaration."""
    done = subprocess.run([compiler.path, *compiler.flags, "-fsyntax-only", "-Xclang", "-ast-dump=json", "-Xclang",
                           f"-ast-dump-filter={namespace}", str(source)], capture_output=True, text=True, check=True)
    decoder, at, trees = json.JSONDecoder(), 0, []
    while (at := done.stdout.find("{", at)) >= 0:
        tree, at = decoder.raw_decode(done.stdout, at)
        trees.append(tree)
    return trees


def children(node):
    return [child for child in node.get("inner", ()) if child.get("kind")]


def span(node):
    """[begin, end) of a node in its file, or None for what nobody wrote."""
    begin, end = (node.get("range", {}).get(side, {}) for side in ("begin", "end"))
    if "offset" not in begin or "offset" not in end:
        return None
    return begin["offset"], end["offset"] + end["tokLen"]


class Members:
    """The class of every member, and its other members that may be named there."""

    def __init__(self, trees):
        self.siblings = {}
        for tree in trees:
            self._walk(tree)

    def _walk(self, node):
        if node["kind"] in ("CXXRecordDecl", "ClassTemplateSpecializationDecl"):
            self._record(node)
        for child in children(node):
            self._walk(child)

    def _record(self, record):
        ids, names = [], []
        for child in children(record):
            inner = [child, *children(child)] if child["kind"] == "FunctionTemplateDecl" else [child]
            name = child.get("name", "")
            if child["kind"] not in ("FieldDecl", "CXXMethodDecl", "FunctionTemplateDecl", "VarDecl"):
                continue
            if child.get("isImplicit") or not re.fullmatch(r"\w+", name) or name == record.get("name"):
                continue
            names.append(name)
            ids += [(part["id"], name) for part in inner]
        for identity, name in ids:
            self.siblings[identity] = sorted(set(names) - {name})


class Edits:
    """Collects the edits of functions in one file."""

    def __init__(self, source, members):
        self.source = source
        self.members = members
        self.found = set()

    def text(self, place):
        return self.source[place[0]:place[1]].decode()

    def add(self, place, text, kind, what):
        if self.text(place) != text:
            self.found.add(Edit(place[0], place[1], text, kind, what))

    def function(self, node):
        scope = [c["name"] for c in children(node) if c["kind"] == "ParmVarDecl" and "name" in c]
        for child in children(node):
            if child["kind"] == "CompoundStmt":
                self.compound(child, scope)

    def compound(self, node, scope):
        scope = list(scope)
        for statement in children(node):
            self.statement(statement)
            self.visit(statement, scope)

    def statement(self, node):
        """Drops a statement, and repeats it."""
        place = span(node)
        if place is None or node["kind"] == "NullStmt":
            return
        begin, end = place
        if self.source[end:end + 1] == b";":
            end += 1
        text = self.text((begin, end))
        self.add((begin, end), "", "drop a statement", f"drop `{first_line(text)}`")
        if not repeats_in_vain(node):
            self.add((begin, end), f"{text} {text}", "repeat a statement", f"repeat `{first_line(text)}`")

    def visit(self, node, scope):
        kind = node["kind"]
        if kind == "CompoundStmt":
            return self.compound(node, scope)
        if kind == "LambdaExpr":
            return self.lambda_(node, scope)
        if kind in CALLS | CONSTRUCTIONS:
            self.call(node, scope)
        if kind in ("BinaryOperator", "CompoundAssignOperator") and node.get("opcode") not in SYMMETRIC:
            self.exchange([span(child) for child in children(node)], "operands")
        if kind in ("MemberExpr", "CXXDependentScopeMemberExpr"):
            self.member(node)
        for child in children(node):
            self.visit(child, scope)
        if kind in ("VarDecl", "BindingDecl") and "name" in node:
            scope.append(node["name"])

    def lambda_(self, node, scope):
        for child in children(node):
            if child["kind"] == "CXXRecordDecl":
                self.lambda_body(child, scope)

    def lambda_body(self, node, scope):
        if node["kind"] in BODIES:
            own = [c["name"] for c in children(node) if c["kind"] == "ParmVarDecl" and "name" in c]
            for child in children(node):
                if child["kind"] == "CompoundStmt":
                    self.compound(child, [*scope, *own])
        else:
            for child in children(node):
                self.lambda_body(child, scope)

    def call(self, node, scope):
        parts = children(node)
        arguments = [span(part) for part in (parts[1:] if node["kind"] in CALLS else parts)]
        arguments = [place for place in arguments if place is not None and place != span(node)]
        self.exchange(arguments, "arguments")
        if node["kind"] == "CXXMemberCallExpr" and children(parts[0]):
            arguments.append(span(children(parts[0])[0]))
        for place in arguments:
            if place is not None:
                for name in scope:
                    self.add(place, name, "replace an argument", f"`{name}` for `{first_line(self.text(place))}`")

    def exchange(self, places, what):
        places = sorted({place for place in places if place is not None})
        for i, one in enumerate(places):
            for other in places[i + 1:]:
                if one[1] > other[0]:
                    continue
                between = self.text((one[1], other[0]))
                self.add((one[0], other[1]), self.text(other) + between + self.text(one), "exchange two " + what,
                         f"exchange `{first_line(self.text(one))}` and `{first_line(self.text(other))}`")

    def member(self, node):
        place, name = span(node), node.get("name", "").lstrip(".->")
        if place is None or not name or not self.text(place).endswith(name):
            return
        place = place[1] - len(name), place[1]
        for sibling in self.members.siblings.get(node.get("referencedMemberDecl"), ()):
            self.add(place, sibling, "replace a member", f"`{sibling}` for `{name}`")


def repeats_in_vain(node):
    """Whether a second time changes nothing: after a return, or a check that has not thrown."""
    then = children(node)[1:2] if node["kind"] == "IfStmt" else [node]
    kinds = {part["kind"] for part in then}
    while then and then[0]["kind"] == "ExprWithCleanups":
        then = children(then[0])
        kinds = {part["kind"] for part in then}
    return kinds <= {"ReturnStmt", "CXXThrowExpr"}


def first_line(text):
    line = text.splitlines()[0].strip() if text else ""
    return line if line == text.strip() else line + " …"


def functions(trees, names):
    """The instantiated functions of these names, wherever they stand in the trees."""
    for node in trees:
        if node["kind"] in BODIES and node.get("name") in names and "mangledName" in node:
            yield node
        yield from functions(children(node), names)


def edits(source, trees, names):
    """All edits of the functions `names` in the text `source`, in the order of the text."""
    collected = Edits(source, Members(trees))
    for node in functions(trees, names):
        collected.function(node)
    return sorted(collected.found)
