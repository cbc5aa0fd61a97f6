import { readFileSync } from 'node:fs'

/** A fenced block of a document, or a snippet of the portal. */
export interface Block {
  document: string
  /** The line of the fence, counted from 1. */
  line: number
  language: string
  text: string
}

const FENCE = /^```(\w*)$/

export function blocksOf(document: string): Block[] {
  const blocks: Block[] = []
  let open: Block | undefined
  for (const [i, line] of readFileSync(document, 'utf8').split('\n').entries()) {
    const fence = FENCE.exec(line.trim())
    if (open === undefined) {
      if (fence) open = { document, line: i + 1, language: fence[1]!, text: '' }
    } else if (fence) {
      blocks.push(open)
      open = undefined
    } else open.text += `${line}\n`
  }
  if (open !== undefined) throw new Error(`${document}:${open.line}: the block does not end`)
  return blocks
}

/** How the title of a test names the block. */
export const titleOf = ({ document, line, text }: Block): string =>
  `${document}:${line} ${text.trim().split('\n')[0]!.slice(0, 60)}`
