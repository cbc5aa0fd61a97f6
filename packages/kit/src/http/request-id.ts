import { randomUUID } from 'node:crypto'

/** Identifies a request in its response, log lines and errors. */
export const newRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`
