import { describe, expect, it } from 'vitest'
import { planConnections } from './connection-plan.ts'

describe('[HST-36] connections to PostgreSQL', () => {
  it.each([
    [17, { control: 8, stacks: 3 }],
    [27, { control: 8, stacks: 13 }],
    [97, { control: 19, stacks: 72 }],
    [197, { control: 20, stacks: 171 }],
    [497, { control: 20, stacks: 471 }],
  ])('are divided between control plane and stacks, if %i are available', (budget, plan) => {
    expect(planConnections(budget)).toEqual(plan)
  })

  it('for stacks are two fewer if several control planes serve at once', () => {
    expect(planConnections(97, { isShared: true })).toEqual({ control: 19, stacks: 70 })
  })

  it('must be enough for all processes of one stack', () => {
    expect(planConnections(25, { isShared: true, replicas: 3 })).toEqual({ control: 8, stacks: 9 })
    expect(() => planConnections(24, { isShared: true, replicas: 3 })).toThrow('at least 25 are needed')
  })

  it('must be at least 17, otherwise the service does not start', () => {
    expect(() => planConnections(16)).toThrow('16 connections to PostgreSQL are too few: at least 17 are needed')
  })
})
