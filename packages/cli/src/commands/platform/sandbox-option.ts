import { Option } from 'commander'
import { sandboxReference } from '../argument-parsers.ts'

/** The option `--sandbox` of commands that call the API of a sandbox. */
export const sandboxOption = () =>
  new Option('--sandbox <sandbox>', 'the sandbox (default: that of the environment, then of `svc use`)').argParser(
    sandboxReference,
  )
