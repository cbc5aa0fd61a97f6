import { describe, expect, it } from 'vitest'
import { faultBounds, translateFaultTitle } from './fault-title.ts'

describe('fault titles', () => {
  it('are translated to Russian', () => {
    const translated = (title: string) => translateFaultTitle(title, 'ru')
    expect(translated('Temperature above 30 °C for 15 min: Zone temperature, VAV box 02-03')).toBe(
      'Температура выше 30 °C в течение 15 мин: Температура зоны, VAV-регулятор 02-03',
    )
    expect(translated('Gas concentration above 1000 ppm: CO₂, Room: 1')).toBe(
      'Концентрация газа выше 1\u00a0000 ppm: CO₂, Room: 1',
    )
    expect(translated('Value below -1.5: Level, Tank')).toBe('Значение ниже -1,5: Level, Tank')
    expect(translated('Relative humidity unchanged for 6 h: Humidity, AHU')).toBe(
      'Относительная влажность: без изменений 6 ч: Humidity, AHU',
    )
    expect(translated('No observation for 2 d: Power, Meter')).toBe('Нет данных 2 сут: Мощность, Meter')
    expect(translated('Alarm: Smoke alarm, Detector 1')).toBe('Тревога: Сигнал о дыме, Detector 1')
  })

  it('are unchanged in English, and when the title is unknown', () => {
    expect(translateFaultTitle('Alarm: Smoke', 'en')).toBe('Alarm: Smoke')
    expect(translateFaultTitle('Unknown title', 'ru')).toBe('Unknown title')
  })

  it('[TIM-01] contain the bound, which decides how many decimals of the value are shown', () => {
    expect(faultBounds('Temperature above 30 °C for 15 min: Zone temperature, VAV box 02-03')).toEqual([30])
    expect(faultBounds('Value below -1.5: Level, Tank')).toEqual([-1.5])
    expect(faultBounds('Alarm: Smoke alarm, Detector 1')).toEqual([])
  })
})
