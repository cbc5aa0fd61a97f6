import { describe, expect, it } from 'vitest'
import { typedText } from './typed-text.ts'

describe('the text that is typed into a field that shows the label of its value', () => {
  it('is what follows the label', () => {
    expect(typedText('Floor 10', 'Floor 1', false)).toBe('0')
    expect(typedText('Lobby', '', false)).toBe('Lobby')
  })

  it('is the whole text if the label was changed, or text was selected', () => {
    expect(typedText('Floor', 'Floor 1', false)).toBe('Floor')
    expect(typedText('Floor 10', 'Floor 1', true)).toBe('Floor 10')
  })
})
