#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The extension for Visual Studio Code as a package: tools/vsix.sh [FILE.vsix]. A .vsix is an archive of the
# extension with two manifests. The same sources make the same bytes.
set -eu
cd -- "$(dirname -- "$0")/.."
command -v zip >/dev/null || { echo "vsix: zip is missing" >&2; exit 2; }
version=$(sed -n 's/^ *"version": "\(.*\)",$/\1/p' editors/vscode/package.json)
file=${1:-build/samite-$version.vsix}
case $file in /*) ;; *) file=$PWD/$file ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/extension"
cp -R editors/vscode/. "$work/extension"
cp LICENSE "$work/extension/LICENSE.txt"
cat >"$work/[Content_Types].xml" <<'END'
<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension=".json" ContentType="application/json"/><Default Extension=".js" ContentType="application/javascript"/><Default Extension=".md" ContentType="text/markdown"/><Default Extension=".txt" ContentType="text/plain"/><Default Extension=".vsixmanifest" ContentType="text/xml"/></Types>
END
cat >"$work/extension.vsixmanifest" <<END
<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="samite" Version="$version" Publisher="samite"/>
    <DisplayName>Samite</DisplayName>
    <Description xml:space="preserve">Debug kernels and programs of RISC-V tensor accelerators</Description>
    <Categories>Debuggers,Programming Languages</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="^1.75.0"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true"/>
  </Assets>
</PackageManifest>
END
find "$work" -exec touch -d 1980-01-02T00:00:00Z {} +
rm -f "$file"
(cd "$work" && find . -type f | LC_ALL=C sort | TZ=UTC zip -X -q "$file" -@)
echo "$file"
