import { describe, expect, it } from 'vitest'
import { timeLabels } from './axis.ts'

const START = Date.parse('2026-01-15T22:59:00.000Z') / 1000
const labels = (step: number) => timeLabels([START, START + step, START + 2 * step], step, 'en', 'Europe/Berlin')

describe('time axis labels', () => {
  it('show minutes in the time zone of the building, and the date at the first label of each day', () => {
    expect(labels(60)).toEqual(['23:59\n15 Jan', '00:00\n16 Jan', '00:01'])
  })

  it('show seconds when the step is shorter than a minute', () => {
    expect(labels(30)).toEqual(['23:59:00\n15 Jan', '23:59:30', '00:00:00\n16 Jan'])
  })
})
