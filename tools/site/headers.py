# SPDX-License-Identifier: Apache-2.0
"""Public headers as HTML: comments at the start of a line, each with the declarations after it."""
import html
import posixpath
import re
import textwrap


class Chunk:
    """A comment of a header and the declarations after it."""

    def __init__(self, text, code):
        self.text, self.code = text, re.sub(r"^SAM_API ", "", code.strip("\n"), flags=re.M)
        self.title = None  # of a section that begins here
        found = re.findall(r"\b(sam_\w+)\(|^(?:struct|enum|union|class) (\w+)(?=;| \{)|^#define (\w+)", self.code, re.M)
        self.main = list(dict.fromkeys(next(filter(None, row)) for row in found))
        self.names = list(dict.fromkeys(self.main + re.findall(r"\b(SAM_\w+)(?= = |,)", self.code)))


class Header:
    """A public header: what its first comment says, and its chunks."""

    def __init__(self, path):
        self.url, self.chunks = "", []
        comments = []  # at the start of lines, with the code after them
        text = re.sub(r"^#(ifndef SAMITE_\w+_HP*|define SAMITE_\w+_HP*|include .*|"
                      r"ifdef __cplusplus\n(extern \"C\" \{|\})\n#endif)$", "", path.read_text(), flags=re.M)
        text = re.sub(r"\n#endif[^\n]*\s*$", "\n", text)
        for comment, code in re.findall(r"(?:^|(?<=\n))/\*(.*?)\*/[ \t]*(.*?)(?=\n/\*|\Z)", text, re.S):
            comments.append((re.sub(r"^ \* ?", "", comment, flags=re.M).strip(" \n"), code))
        comments = [row for row in comments if not re.match(r"SPDX|clang-format", row[0]) or row[1].strip()]
        self.about, rest = comments[0]
        for text, code in [("", rest), *comments[1:]]:
            title = re.fullmatch(r"-{10,} (.*)", text)
            if title:
                self.chunks.append(Chunk("", ""))
                self.chunks[-1].title = title.group(1)[0].upper() + title.group(1)[1:]
                text = ""
            for number, part in enumerate(re.split(r"\n\s*\n(?=[\w#])|(?<=\n\};)\n(?=\w)", code)):
                if part.strip() or (number == 0 and text):
                    self.chunks.append(Chunk(text if number == 0 else "", part))

    def html(self, where, pages):
        names = {posixpath.basename(file): url for file, url in pages.items() if file.startswith("include/")}

        def linked(text):
            """Escaped, with names of the library, headers and documents as links."""
            def link(match):
                word = match.group(0)
                if word.startswith("`"):
                    return f"<code>{linked(word[1:-1])}</code>"
                url = where.get(word) or names.get(word) or pages.get(word)
                return f'<a href="{posixpath.relpath(url, "api")}">{word}</a>' if url else word
            words = r"`[^`\n]+`|\b(docs/[\w-]+\.md|\w+\.h(pp)?|[Ss][Aa][Mm]_\w+)\b"
            return re.sub(words, link, html.escape(text, quote=False))

        def prose(text):
            parts = []
            for block in re.split(r"\n\s*\n", text):
                for indented, lines in groups(block.splitlines()):
                    joined = linked(textwrap.dedent("\n".join(lines)))
                    parts.append(f"<pre><code>{joined}</code></pre>" if indented else f"<p>{joined}</p>")
            return "\n".join(parts)

        parts = [f"<h1>{html.escape(self.url[4:-5])}</h1>", prose(self.about)]
        for chunk in self.chunks:
            if chunk.title:
                parts.append(f"<h2>{html.escape(chunk.title)}</h2>")
                continue
            own = [name for name in chunk.names if where[name].startswith(self.url + "#")]
            marks = "".join(f'<span id="{name}"></span>' for name in own)
            anchor = f'<a class="anchor" href="#{own[0]}" aria-label="Link">#</a>' if own else ""
            code = f"<pre><code>{linked(chunk.code)}</code></pre>" if chunk.code else ""
            parts.append(f'<div class="decl">{marks}{code}{anchor}\n{prose(chunk.text) if chunk.text else ""}</div>')
        return "\n".join(parts)


def groups(lines):
    """Runs of lines that are indented by two or more, and of others."""
    found = []
    for line in lines:
        indented = line.startswith("  ")
        if not found or found[-1][0] != indented:
            found.append((indented, []))
        found[-1][1].append(line)
    return found
