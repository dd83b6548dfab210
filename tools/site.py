#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev site`: the documents as static pages.

    tools/site.py COMMAND FOLDER

Pages: README.md and its kin, docs/ in the order of docs/README.md, the notebooks of examples/, the help of each verb
of COMMAND (build/samite), the public headers, and source files that pages link to. cmark-gfm renders Markdown.
FOLDER is made anew; its links are relative, so that it can be served from anywhere and opened as files. A link or an
anchor that leads nowhere is reported with the file that has it, and nothing is written.
"""
import html
import html.parser
import json
import os
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "site"))
sys.dont_write_bytecode = True
from headers import Header  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parent.parent
HERE = TOP / "tools" / "site"
MORE = ["README.md", "README.zh.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
SHORT = {"index.html": "Overview", "zh.html": "中文"}  # titles in the navigation
PAGE = """<!DOCTYPE html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{root}site.css">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<input type="checkbox" id="menu" aria-label="Menu">
<nav class="side" aria-label="Pages">
<label class="menu" for="menu">Menu</label>
<a class="name" href="{root}index.html">Samite</a>
<div class="search" data-root="{root}" role="search">
<input type="search" placeholder="Search (/)" aria-label="Search"><ol></ol>
</div>
<div class="pages">
{nav}
</div>
</nav>
<main id="content">
<article>
{body}
{pager}
</article>
</main>
<script src="{root}search.js"></script>
</body>
</html>
"""


def run(*words, text=None):
    done = subprocess.run([str(word) for word in words], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"site: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def plain(text):
    """HTML without its tags."""
    return html.unescape(re.sub(r"<[^>]*>", "", text))


def slug(text, seen):
    """The anchor that GitHub gives to a heading; later ones of the same text get a number."""
    name = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
    number = seen[name] = seen.get(name, -1) + 1
    return f"{name}-{number}" if number else name


class Page:
    def __init__(self, url, source, body, title=None, sections=True):
        self.url, self.source, self.body = url, source, body
        self.headings = []  # level, anchor, text
        seen = {}

        def heading(match):
            level, inner = match.groups()
            anchor = slug(plain(inner), seen)
            self.headings.append((int(level), anchor, plain(inner)))
            mark = f'<a class="anchor" href="#{anchor}" aria-label="Link">#</a>'
            return f'<h{level} id="{anchor}">{inner}{mark}</h{level}>'

        if sections:
            self.body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, self.body, flags=re.S)
            self.body = re.sub(r"(<table>.*?</table>)", r'<div class="table">\1</div>', self.body, flags=re.S)
        first = next((text for level, _, text in self.headings if level == 1), None)
        self.title = title or first or url
        self.rows = None  # of the search index, where they are not the headings

    def index(self):
        """Rows of the search index: url, page, heading, text."""
        if self.rows is not None:
            yield from self.rows
            return
        parts = re.split(r'<h[1-6] id="([^"]*)">(.*?)<a class="anchor".*?</h[1-6]>', self.body, flags=re.S)
        for anchor, name, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            yield f"{self.url}#{anchor}", self.title, plain(name), re.sub(r"\s+", " ", plain(text)).strip()


def markdown(text):
    return run("cmark-gfm", "-e", "table", "-e", "strikethrough", "-e", "autolink", text=text)


def notebook(path):
    """A notebook as HTML: texts, code, and the outputs that are stored."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(markdown(source))
            continue
        parts.append(f"<pre><code>{html.escape(source)}</code></pre>\n")
        text = "".join("".join(output.get("text", "")) for output in cell["outputs"]).rstrip()
        if text:
            parts.append(f'<div class="output"><pre><code>{html.escape(text)}</code></pre></div>\n')
    return "".join(parts)


class Site:
    def __init__(self, command):
        self.command = command
        self.pages = {}  # by url
        self.of = {}  # url by file of the repository
        self.files = {}  # copied: url -> file
        self.problems = []
        self.groups = []  # of the navigation: title, urls
        self.children = {}  # url -> urls that the navigation shows below it

    def add(self, page):
        self.pages[page.url] = page
        if page.source:
            self.of.setdefault(page.source, page.url)
        return page.url

    # --- the documents

    def documents(self):
        listed = (TOP / "docs" / "README.md").read_text()
        for name in MORE:
            url = {"README.md": "index.html", "README.zh.md": "zh.html"}.get(name, name[:-3].lower() + ".html")
            self.add(Page(url, name, markdown((TOP / name).read_text())))
        self.add(Page("documents.html", "docs/README.md", markdown(listed)))
        self.groups.append(("Samite", ["index.html", "documents.html", "changelog.html", "zh.html"]))
        for path in sorted((TOP / "docs").glob("*.md")):
            if path.name != "README.md":
                self.add(Page(path.stem + ".html", f"docs/{path.name}", markdown(path.read_text())))
        shown = set()
        for part in re.split(r"^## ", listed, flags=re.M)[1:]:
            urls = []
            for link in re.findall(r"\]\(([^)#]+\.md)\)", part):
                url = self.of.get(posixpath.normpath(posixpath.join("docs", link)))
                if url and url not in shown:
                    shown.add(url)
                    urls.append(url)
            self.groups.append((part.splitlines()[0].strip(), urls))
        for path in sorted((TOP / "docs").glob("*.md")):
            if path.name != "README.md" and self.of[f"docs/{path.name}"] not in shown:
                self.problems.append(f"docs/README.md: does not list {path.name}")
        tours = [self.add(Page(f"examples/{path.stem}.html", f"examples/{path.name}", notebook(path)))
                 for path in sorted((TOP / "examples").glob("*.ipynb"))]
        self.groups[1][1].extend(tours)

    # --- the command

    def verbs(self):
        block = run(self.command, "--help").split("\nVerbs:\n")[1].split("\n\n")[0]
        rows, urls = [], []
        for verb, summary in re.findall(r"^  (\w[\w-]*) +(.*)$", block, re.M):
            said = run(self.command, verb, "--help")
            body = f"<h1>samite {verb}</h1>\n<pre><code>{html.escape(said)}</code></pre>\n"
            listed = re.search(r"^Machines \(.*\n((?:  .*\n)+)", said, re.M) if verb == "run" else None
            for machine in re.findall(r"^  (\w+)  ", listed[1], re.M) if listed else ():
                text = html.escape(run(self.command, verb, "--help", machine))
                body += f"<h2>Machine {machine}</h2>\n<pre><code>{text}</code></pre>\n"
            urls.append(self.add(Page(f"command/{verb}.html", None, body)))
            rows.append(f'<tr><td><a href="{verb}.html">{verb}</a></td><td>{html.escape(summary)}</td></tr>')
        body = "<h1>The command</h1>\n<table><tbody>\n" + "\n".join(rows) + "\n</tbody></table>\n"
        index = self.add(Page("command/index.html", None, body))
        self.children[index] = urls
        return index

    # --- the headers

    def headers(self):
        folder = TOP / "include" / "samite"
        paths = sorted(folder.glob("*.h")) + sorted(folder.glob("*.hpp")) + sorted(folder.glob("device/*.h"))
        read = {f"include/samite/{path.relative_to(folder)}": Header(path) for path in paths}
        where = {}  # name -> url with anchor
        for file, header in read.items():
            self.of[file] = header.url = "api/" + file[len("include/samite/"):].replace("/", "-") + ".html"
            for chunk in header.chunks:
                for name in chunk.names:
                    where.setdefault(name, f"{header.url}#{name}")
        rows, urls = [], []
        for file, header in read.items():
            page = Page(header.url, file, header.html(where, self.of), title=file[len("include/"):], sections=False)
            page.rows = [(page.url, page.title, page.title, " ".join(header.about.split()))]
            for chunk in header.chunks:
                for name in chunk.main:
                    more = [other for other in chunk.names if other not in chunk.main]
                    page.rows.append((f"{page.url}#{name}", page.title, name, " ".join([*chunk.text.split(), *more])))
            urls.append(self.add(page))
            summary = re.split(r"(?<=[.:])\s", " ".join(header.about.split()), maxsplit=1)[0].rstrip(":")
            rows.append(f'<tr><td><a href="{page.url[4:]}">{page.title}</a></td><td>{html.escape(summary)}</td></tr>')
        body = "<h1>The library</h1>\n<p>The public headers. <code>samite/samite.h</code> includes those for hosts; " \
            "<code>device/</code> is for programs that run on the machines.</p>\n" \
            "<table><tbody>\n" + "\n".join(rows) + "\n</tbody></table>\n"
        index = self.add(Page("api/index.html", None, body))
        self.of["include/samite"] = index
        self.children[index] = urls
        return index

    # --- links

    def target(self, file):
        """The page of a file or folder of the repository, which is made when it is the first link to it."""
        if file in self.of:
            return self.of[file]
        path = TOP / file
        if path.is_dir():
            names = sorted(name for name in run("git", "-C", TOP, "ls-files", file).splitlines()
                           if posixpath.dirname(name) == file) if (TOP / ".git").exists() else \
                sorted(f"{file}/{name}" for name in os.listdir(path) if (path / name).is_file())
            url = self.of[file] = f"source/{file}/index.html"
            items = "".join(f'<li><a href="/{name}">{posixpath.basename(name)}</a></li>\n' for name in names)
            self.add(Page(url, file, f"<h1>{file}</h1>\n<ul>\n{items}</ul>\n"))
        elif path.suffix in (".svg", ".png"):
            url = self.of[file] = posixpath.basename(file)
            self.files[url] = path
        elif path.is_file():
            text = html.escape(path.read_text(errors="replace"))
            url = self.add(Page(f"source/{file}.html", file, f"<h1>{file}</h1>\n<pre><code>{text}</code></pre>\n"))
        else:
            return None
        if url in self.pages:
            self.pages[url].rows = []
        return url

    def rewrite(self, page):
        """Links to files of the repository become links to pages."""
        base = posixpath.dirname(page.source) if page.source and not (TOP / page.source).is_dir() else page.source or ""

        def link(match):
            name, value = match.group(1), html.unescape(match.group(2))
            if re.match(r"[a-z]+:", value) or value.startswith("#"):
                return match.group(0)
            if page.source is None or page.url.startswith("api/"):
                return match.group(0)  # made here, relative already
            file, mark, anchor = value.partition("#")
            file = file[1:] if file.startswith("/") else posixpath.normpath(posixpath.join(base, file))
            url = self.target(file)
            if url is None:
                self.problems.append(f"{page.source}: no file {file} ('{value}')")
                return f'{name}="#"'
            relative = posixpath.relpath(url, posixpath.dirname(page.url) or ".")
            return f'{name}="{html.escape(relative + mark + anchor)}"'

        page.body = re.sub(r'\b(href|src)="([^"]*)"', link, page.body)

    def check(self):
        """Every link leads to a page or file of the site, and to an anchor that it has."""
        anchors = {url: set(re.findall(r'\bid="([^"]*)"', page.body)) for url, page in self.pages.items()}
        for url, page in self.pages.items():
            for value in re.findall(r'\b(?:href|src)="([^"]*)"', page.body):
                value = html.unescape(value)
                if re.match(r"[a-z]+:", value):
                    continue
                file, _, anchor = value.partition("#")
                goal = posixpath.normpath(posixpath.join(posixpath.dirname(url), file)) if file else url
                name = page.source or url
                if goal not in self.pages and goal not in self.files:
                    self.problems.append(f"{name}: no page {goal}")
                elif anchor and goal in anchors and anchor not in anchors[goal]:
                    self.problems.append(f"{name}: no heading '#{anchor}' in {self.pages[goal].source or goal}")

    # --- writing

    def navigation(self, page, root):
        parts = []
        for title, urls in self.groups:
            parts.append(f"<h2>{html.escape(title)}</h2>\n<ul>")
            for url in urls:
                below = [(child, self.pages[child].title.removeprefix("samite/").removeprefix("samite "))
                         for child in self.children.get(url, ())]
                inside = page.url == url or page.url in [child for child, _ in below]
                if not below and page.url == url:
                    below = [(f"{url}#{anchor}", text) for level, anchor, text in page.headings if level == 2]
                here = ' aria-current="page"' if page.url == url else ""
                name = html.escape(SHORT.get(url, self.pages[url].title))
                parts.append(f'<li><a href="{root}{url}"{here}>{name}</a>')
                if inside and below:
                    rows = "".join(f'<li><a href="{root}{child}"{" aria-current=page" * (child == page.url)}>'
                                   f"{html.escape(text)}</a></li>" for child, text in below)
                    parts.append(f"<ul>{rows}</ul>")
                parts.append("</li>")
            parts.append("</ul>")
        return "\n".join(parts)

    def write(self, folder):
        order = [url for _, urls in self.groups for url in urls]
        (folder / "site.css").write_text((HERE / "site.css").read_text())
        (folder / "search.js").write_text((HERE / "search.js").read_text())
        rows = [row for page in self.pages.values() for row in page.index()]
        (folder / "search-index.js").write_text(f"samiteIndex({json.dumps(rows, ensure_ascii=False)});\n")
        for url, path in self.files.items():
            shutil.copyfile(path, folder / url)
        for page in self.pages.values():
            root = "../" * page.url.count("/")
            pager = ""
            if page.url in order:
                at = order.index(page.url)
                links = [f'<a href="{root}{url}">{arrow.format(html.escape(SHORT.get(url, self.pages[url].title)))}</a>'
                         if url else "<span></span>"
                         for url, arrow in ((order[at - 1] if at else None, "← {}"),
                                            (order[at + 1] if at + 1 < len(order) else None, "{} →"))]
                pager = f'<div class="pager">{"".join(links)}</div>'
            title = page.title if page.url == "index.html" else f"{page.title} · Samite"
            path = folder / page.url
            path.parent.mkdir(parents=True, exist_ok=True)
            language = "zh" if page.url == "zh.html" else "en"
            path.write_text(PAGE.format(lang=language, title=html.escape(title), root=root, body=page.body, pager=pager,
                                        nav=self.navigation(page, root)))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: tools/site.py COMMAND FOLDER")
    folder = pathlib.Path(sys.argv[2])
    site = Site(pathlib.Path(sys.argv[1]).resolve())
    site.documents()
    site.groups.append(("Reference", [site.verbs(), site.headers()]))
    done = set()
    while len(done) < len(site.pages):  # links make pages
        for page in [page for page in site.pages.values() if page.url not in done]:
            done.add(page.url)
            site.rewrite(page)
    site.check()
    if site.problems:
        sys.exit("\n".join(dict.fromkeys(site.problems)))
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    site.write(new)
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    print(f"== {folder}/index.html, {len(site.pages)} pages, all links good")


main()
