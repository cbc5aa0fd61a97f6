import type { Socket } from 'node:net'
import type { Readings } from '@storey/kit/unread'
import { describe, expect, it } from 'vitest'
import { createSendBudget } from './send-budget.ts'

/** A budget of 300 bytes for three sockets. `unread` has the number of unread bytes of each socket. */
function start(unread: number[]) {
  const sockets = unread.map(() => ({}) as Socket)
  const of = (socket: Socket) => ({ read: 0, readSince: 0, checked: 0, unread: unread[sockets.indexOf(socket)]! })
  return createSendBudget(new Set(sockets), 300, async (): Promise<Readings> => ({ of, isComplete: true }))
}

describe('the budget of the live channel', () => {
  it('is shared by all sockets, and counts all sent bytes as unread until the next measurement', async () => {
    const budget = start([0, 0, 0])
    expect(budget.available()).toBe(100)
    budget.spend(40)
    expect(budget.available()).toBe(60)
    await budget.measure()
    expect(budget.available()).toBe(100)
  })

  it('is measured when half of it is spent, and counts the bytes sent during the measurement as unread', async () => {
    const budget = start([0, 0, 0])
    budget.spend(80)
    expect(budget.available()).toBe(20)
    budget.spend(10)
    await expect.poll(budget.available).toBe(90)
  })

  it('[LIV-14] depends on what most clients have read', async () => {
    const one = start([0, 4_000_000, 0])
    await one.measure()
    expect(one.available()).toBe(100)
    const most = start([0, 130, 140])
    await most.measure()
    expect(most.available()).toBe(-30)
  })

  it('can ignore the bytes that are unread now, until they are read', async () => {
    const unread = [500, 500, 500]
    const budget = start(unread)
    await budget.measure()
    budget.ignoreUnread()
    expect(budget.available()).toBe(100)
    unread.fill(50)
    await budget.measure()
    expect(budget.available()).toBe(100)
    unread.fill(120)
    await budget.measure()
    expect(budget.available()).toBe(30)
  })
})
