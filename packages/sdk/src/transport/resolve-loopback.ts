import { connect as platformConnect } from '#connect'
import type { Connect } from './connect.ts'

/**
 * The transport of the clients: `fetch`, which in Node also finds names below localhost.
 *
 * @experimental
 */
export const connect: Connect = (url, init) => platformConnect(url, init)
