import { randomUUID } from 'node:crypto'

/** What an answer, its log lines and its error have in common. */
export const newRequestId = (): string => `req_${randomUUID().replaceAll('-', '')}`
