import { describe, expect, it } from 'vitest'
import { timeLabels } from './axis.ts'

const START = Date.parse('2026-01-15T22:59:00.000Z') / 1000
const labels = (step: number) => timeLabels([START, START + step, START + 2 * step], step, 'en', 'Europe/Berlin')

describe('the words under a time axis', () => {
  it('are minutes in the zone of the building, with the date where a day begins', () => {
    expect(labels(60)).toEqual(['23:59\n15 Jan', '00:00\n16 Jan', '00:01'])
  })

  it('have seconds where minutes would say the same twice', () => {
    expect(labels(30)).toEqual(['23:59:00\n15 Jan', '23:59:30', '00:00:00\n16 Jan'])
  })
})
