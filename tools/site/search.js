// SPDX-License-Identifier: Apache-2.0
// Search in the pages of the site. The index is loaded at the first use, as a script, so that pages work from files too.
(function () {
    "use strict";
    const box = document.querySelector(".search");
    const field = box.querySelector("input");
    const list = box.querySelector("ol");
    const root = box.dataset.root;
    let index = null;

    const here = document.querySelector("nav.side [aria-current]");
    if (here && here.offsetTop > innerHeight / 2)
        document.querySelector("nav.side").scrollTop = here.offsetTop - innerHeight / 3;

    window.samiteIndex = function (rows) {
        index = rows.map(([url, page, heading, text]) => ({
            url, page, heading, text, inPage: page.toLowerCase(), inHeading: heading.toLowerCase(), inText: text.toLowerCase(),
        }));
        show();
    };

    // Every word must be in a section; words in headings count more than those in the text.
    function score(row, words) {
        let sum = 0;
        for (const word of words) {
            const points = (row.inHeading === word ? 40 : 0) + (row.inHeading.includes(word) ? 10 : 0) +
                (row.inPage.includes(word) ? 4 : 0) + (row.inText.includes(word) ? 1 : 0);
            if (points === 0)
                return 0;
            sum += points;
        }
        return sum;
    }

    function excerpt(row, word) {
        const at = Math.max(row.inText.indexOf(word), 0);
        const start = at < 40 ? 0 : row.text.indexOf(" ", at - 40) + 1;
        return (start > 0 ? "... " : "") + row.text.slice(start, start + 110);
    }

    function show() {
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        list.textContent = "";
        if (words.length === 0 || index === null)
            return;
        document.querySelector("nav.side").scrollTop = 0;
        const found = index.map((row) => ({row, points: score(row, words)})).filter((hit) => hit.points > 0)
            .sort((a, b) => b.points - a.points).slice(0, 12);
        for (const {row} of found) {
            const link = document.createElement("a");
            link.href = root + row.url;
            link.textContent = row.heading === row.page ? row.page : row.heading + " · " + row.page;
            const text = document.createElement("small");
            text.textContent = excerpt(row, words[0]);
            link.append(text);
            const item = document.createElement("li");
            item.append(link);
            list.append(item);
        }
        if (found.length === 0) {
            const item = document.createElement("li");
            item.className = "none";
            item.textContent = "nothing found";
            list.append(item);
        }
    }

    function load() {
        if (document.getElementById("index"))
            return;
        const script = document.createElement("script");
        script.id = "index";
        script.src = root + "search-index.js";
        document.head.append(script);
    }

    const asked = new URLSearchParams(location.search).get("q");
    if (asked) {
        field.value = asked;
        load();
    }
    field.addEventListener("focus", load);
    field.addEventListener("input", () => {
        load();
        show();
    });
    document.addEventListener("keydown", (event) => {
        const links = [...list.querySelectorAll("a")];
        const at = links.indexOf(document.activeElement);
        if (event.key === "/" && document.activeElement !== field) {
            event.preventDefault();
            field.focus();
        } else if (event.key === "Escape" && box.contains(document.activeElement)) {
            field.value = "";
            show();
        } else if (event.key === "ArrowDown" && (document.activeElement === field || at >= 0) && at + 1 < links.length) {
            event.preventDefault();
            links[at + 1].focus();
        } else if (event.key === "ArrowUp" && at >= 0) {
            event.preventDefault();
            (at > 0 ? links[at - 1] : field).focus();
        } else if (event.key === "Enter" && document.activeElement === field && links.length > 0) {
            links[0].click();
        }
    });
})();
