import type { Connect } from './connect.ts'

/** Browsers resolve `*.localhost` themselves. */
export const connect: Connect = (url, init) => globalThis.fetch(url, init)

export const socketOptions = (_url: string): object => ({})
