/** Where the version is written besides the packages' own files, which `@changesets/cli` changes. */
export const VERSION_PLACES: readonly { file: string; pattern: RegExp }[] = [
  { file: 'package.json', pattern: /(?<="version": ")[^"]+/ },
  { file: 'packages/contract/src/version.ts', pattern: /(?<=VERSION = ')[^']+/ },
  { file: 'packages/cli/templates/module/package.json', pattern: /(?<="@storey\/sdk": ")[^"]+/ },
  { file: 'deploy/helm/storey/Chart.yaml', pattern: /(?<=^(?:version: |appVersion: "))[\d.]+/gm },
  ...['packages/cli/templates/module/manifest.json', 'examples/occupancy-board/manifest.json'].map((file) => ({
    file,
    pattern: /(?<="sdkVersion": ")[^"]+/,
  })),
  ...[
    'README.md',
    'packages/cli/README.md',
    'packages/sdk/README.md',
    'examples/occupancy-board/README.md',
    'examples/occupancy-board/package.json',
  ].map((file) => ({ file, pattern: /(?<=storey-(?:cli|sdk)-)[\d.]+(?=\.tgz)/g })),
]
