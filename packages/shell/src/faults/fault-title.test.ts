import { describe, expect, it } from 'vitest'
import { faultTitleIn } from './fault-title.ts'

describe('the title of a fault', () => {
  it('is said in Russian, form by form', () => {
    const said = (title: string) => faultTitleIn(title, 'ru')
    expect(said('Temperature above 30 °C for 15 min: Zone temperature, VAV box 02-03')).toBe(
      'Температура выше 30 °C в течение 15 мин: Zone temperature, VAV box 02-03',
    )
    expect(said('Gas concentration above 1000 ppm: CO₂, Room: 1')).toBe('Концентрация газа выше 1000 ppm: CO₂, Room: 1')
    expect(said('Value below -1.5: Level, Tank')).toBe('Значение ниже -1.5: Level, Tank')
    expect(said('Relative humidity unchanged for 6 h: Humidity, AHU')).toBe(
      'Относительная влажность: без изменений 6 ч: Humidity, AHU',
    )
    expect(said('No observation for 2 d: Power, Meter')).toBe('Нет данных 2 сут: Power, Meter')
    expect(said('Alarm: Smoke alarm, Detector 1')).toBe('Тревога: Smoke alarm, Detector 1')
  })

  it('stays as it is in English, and where its form is not known', () => {
    expect(faultTitleIn('Alarm: Smoke', 'en')).toBe('Alarm: Smoke')
    expect(faultTitleIn('Somebody knocked', 'ru')).toBe('Somebody knocked')
  })
})
