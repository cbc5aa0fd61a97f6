import type { Block } from './blocks.ts'
import { works } from './works.ts'

interface NotRun {
  /** The beginning of the block. */
  begins: string
  reason: string
  /** If this returns true, the block is run after all. */
  unless?: () => boolean
}

/** The blocks that cannot be run. All others are run with their document: add a new block here if it cannot be run. */
const NOT_RUN: readonly NotRun[] = [
  { begins: 'git clone', reason: 'the suite runs in a clone, and has started the system already' },
  { begins: 'npm test', reason: 'it runs this suite' },
  {
    begins: 'npm pack',
    reason: 'acceptance/sdk/package.test.ts and acceptance/cli/packing.test.ts pack and install both packages',
  },
  { begins: 'mosquitto_pub', reason: 'no MQTT client is installed here; acceptance/mqtt sends the same message' },
  {
    begins: '[[inputs.opcua]]',
    reason: 'neither Telegraf nor a machine to read is installed here; acceptance/sdk sends what Telegraf sends',
  },
  { begins: 'docker run', reason: 'containers are not available everywhere, and pull an image' },
  {
    begins: 'import { useBuilding, useLiveValues',
    reason: 'a module needs a shell; acceptance/browser/shell-modules.pages.test.ts shows one',
  },
  { begins: 'import json, urllib', reason: 'python3 is not installed', unless: () => works('python3', '--version') },
]

/** Why a block is not run; undefined if the block is run. */
export function reasonAgainst({ text }: Block): string | undefined {
  const listed = NOT_RUN.find(({ begins }) => text.startsWith(begins))
  return listed === undefined || listed.unless?.() ? undefined : listed.reason
}

/** Entries that match none of these blocks. */
export const unusedEntries = (blocks: readonly Block[]): string[] =>
  NOT_RUN.filter(({ begins }) => !blocks.some(({ text }) => text.startsWith(begins))).map(({ begins }) => begins)
