import type { Socket } from 'node:net'
import { totalmem } from 'node:os'
import type { Reading } from './readings.ts'

/**
 * The maximum number of unread bytes of all clients of a group together. A group is all clients with the same address
 * at the gateway, all clients of the live channel of a sandbox, or all clients of the MQTT broker. Linux uses about 5 %
 * of the memory for all connections of the machine before it slows them down, so a group may use a tenth of that.
 */
export const MAX_UNREAD_BYTES = totalmem() * 0.005

export interface Unread {
  socket: Socket
  bytes: number
  /**
   * How long the client would take to read the unread bytes at its present rate, in intervals between two measurements.
   */
  duration: number
}

/** What a client has not read; undefined if it has read everything. */
export function unreadIn(socket: Socket, { unread: bytes, readSince }: Reading): Unread | undefined {
  return bytes === 0 ? undefined : { socket, bytes, duration: bytes / (readSince + 1) }
}

/** Removes the slowest clients from `all` until the other clients are within the limit. Returns the removed clients. */
export function takeSlowest(limit: number, all: Unread[]): Unread[] {
  let sum = all.reduce((bytes, unread) => bytes + unread.bytes, 0)
  if (sum <= limit) return []
  all.sort((a, b) => a.duration - b.duration)
  const slowest: Unread[] = []
  while (sum > limit) {
    const one = all.pop()!
    slowest.push(one)
    sum -= one.bytes
  }
  return slowest
}
