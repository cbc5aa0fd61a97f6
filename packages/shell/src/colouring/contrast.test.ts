import { CATEGORY_COLORS } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { inkOn } from './contrast.ts'

const luminance = (color: string) => {
  const [red, green, blue] = [1, 3, 5].map((i) => {
    const part = Number.parseInt(color.slice(i, i + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

describe('the text colour on a background', () => {
  it('is light on dark and dark on light, for colours of three, six and eight hex digits', () => {
    expect([inkOn('#000'), inkOn('#102030'), inkOn('#440154ff')]).toEqual(['light', 'light', 'light'])
    expect([inkOn('#fff'), inkOn('#fde725'), inkOn('#88ccee80')]).toEqual(['dark', 'dark', 'dark'])
  })

  it('has a contrast above 4.1 on every colour of a category', () => {
    for (const color of CATEGORY_COLORS) {
      const ink = inkOn(color) === 'light' ? 1 : luminance('#111111')
      const [light, dark] = [luminance(color), ink].toSorted((a, b) => b - a)
      expect((light! + 0.05) / (dark! + 0.05), color).toBeGreaterThan(4.1)
    }
  })
})
