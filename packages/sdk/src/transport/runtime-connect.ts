import { connect as platformConnect } from '#connect'
import type { Connect } from './connect.ts'

/**
 * The transport of the clients: like `fetch`, and in Node it also resolves `*.localhost`.
 *
 * @experimental
 */
export const connect: Connect = (url, init) => platformConnect(url, init)
