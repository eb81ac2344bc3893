"""Damage to a file's bytes, drawn by hypothesis so that a failure shrinks."""

from __future__ import annotations

from hypothesis import strategies as st

# What parsers stumble over: marks of the formats, control characters, numbers, half characters.
TOKENS = [
    b"\x00", b"\x1b[2J", b"\xef\xbb\xbf", b"\xff", b"\xed\xa0\x80", b"\r", b"\r\n", b"\n\n", b"\t",
    b"\xe2\x80\xae", b'"', b"'", b"{", b"}", b"[", b"]", b",", b":", b": ", b"- ", b"|", b"#",
    b"&a ", b"*a", b"!!binary ", b"---\n", b"<top>", b"<num>", b"</title>", b"&#x110000;",
    b"\\ud800", b"\\u0000", b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-1", b"0.5",
    b"9" * 400, b"[" * 300, b"{" * 50, b"a" * 5000, b"../../etc/passwd", b"%2e%2e",
    b"${oc.env:HOME}", b"=cmd()", "ﬃ ı İ ß 한국 עברית".encode(),
]  # fmt: skip
PLACE = st.floats(0, 1, exclude_max=True)
CHANGE = st.one_of(
    st.tuples(st.just("insert"), PLACE, st.sampled_from(TOKENS)),
    st.tuples(st.just("replace"), PLACE, st.sampled_from(TOKENS)),
    st.tuples(st.just("flip"), PLACE, st.integers(0, 255)),
    st.tuples(st.just("delete"), PLACE, st.integers(1, 60)),
    st.tuples(st.just("double"), PLACE, st.integers(1, 200)),
    st.tuples(st.just("cut"), PLACE, st.just(0)),
    st.tuples(st.just("lines"), PLACE, st.just(0)),
)
CHANGES = st.lists(CHANGE, min_size=1, max_size=4)


def damaged(content: bytes, changes) -> bytes:
    """Return content after some changes; a place is a share of the length it has then."""
    for kind, place, what in changes:
        at = int(place * (len(content) + 1))
        head, tail = content[:at], content[at:]
        if kind == "insert":
            content = head + what + tail
        elif kind == "replace":
            content = head + what + tail[len(what) :]
        elif kind == "flip":
            content = head + bytes([what]) + tail[1:]
        elif kind == "delete":
            content = head + tail[what:]
        elif kind == "double":
            content = head + tail[:what] + tail
        elif kind == "cut":
            content = head
        else:
            rows = content.split(b"\n")
            turn = int(place * len(rows))
            content = b"\n".join(rows[turn:] + rows[:turn])
    return content
