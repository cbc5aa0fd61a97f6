import anyAscii from 'any-ascii'
import { randomLower } from '../../ids.ts'

const MAX_LABEL_LENGTH = 63
const SUFFIX_LENGTH = 5

/** A readable DNS label from a display name in any script, with a random suffix that makes it unique. */
export function newSlug(name: string, suffix = randomLower(SUFFIX_LENGTH)): string {
  const words = name.normalize('NFC').replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
  const stem = anyAscii(words)
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, MAX_LABEL_LENGTH - SUFFIX_LENGTH - 1)
    .replace(/-+$/, '')
  return `${stem || 'sandbox'}-${suffix}`
}
