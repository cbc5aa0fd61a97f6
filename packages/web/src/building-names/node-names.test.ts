import { describe, expect, it } from 'vitest'
import { nodeName, storedName, withNames } from './node-names.ts'

describe('the names of nodes', () => {
  it('are translated to Russian if they are names from a generated building', () => {
    expect(nodeName('storey', 'Ground storey', 'ru')).toBe('Нулевой этаж')
    expect(nodeName('storey', 'Storey 12 (top)', 'ru')).toBe('Этаж 12 (верхний)')
    expect(nodeName('space', 'Meeting room L02.05', 'ru')).toBe('Переговорная L02.05')
    expect(nodeName('space', 'Toilets women', 'ru')).toBe('Женский туалет')
    expect(nodeName('element', 'VAV box 02-03', 'ru')).toBe('VAV-регулятор 02-03')
    expect(nodeName('point', 'Zone temperature', 'ru')).toBe('Температура зоны')
  })

  it('stay as they are on an English page, and if they are not names from a generated building', () => {
    expect(nodeName('point', 'Zone temperature', 'en')).toBe('Zone temperature')
    expect(nodeName('space', 'Meeting room of Ann', 'ru')).toBe('Meeting room of Ann')
    expect(nodeName('space', 'Boardroom 7', 'ru')).toBe('Boardroom 7')
    expect(nodeName('point', 'constructor', 'ru')).toBe('constructor')
  })

  it('are set on a copy of the node, the same copy each time, and `storedName` returns the original name', () => {
    const rooms = [{ name: 'Kitchen 1' }, { name: 'Lab' }]
    const shown = withNames('space', rooms, 'ru')
    expect(shown.map(({ name }) => name)).toEqual(['Кухня 1', 'Lab'])
    expect(shown.map(storedName)).toEqual(['Kitchen 1', 'Lab'])
    expect(withNames('space', rooms, 'ru')[0]).toBe(shown[0])
    expect(withNames('space', shown, 'ru')[0]).toBe(shown[0])
    expect(withNames('space', rooms, 'en')).toEqual(rooms)
  })
})
