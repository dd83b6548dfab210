# SPDX-License-Identifier: Apache-2.0
# The command and the library in a small image:
#   docker build -t samite .
#   docker run --rm -v "$PWD:/data" -w /data samite run kernel.s --kernel main ...
FROM debian:bookworm-slim AS build
COPY . /src
WORKDIR /src
RUN CI=true ./dev setup build && ./dev build && \
    meson configure build -Dprefix=/usr -Dlibdir=lib && \
    DESTDIR=/tree meson install -C build --quiet

FROM debian:bookworm-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends libdw1 libedit2 libelf1 libjansson4 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /tree/usr /usr
RUN ldconfig
ENTRYPOINT ["samite"]
CMD ["--help"]
