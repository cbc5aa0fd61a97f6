import { expect, it } from 'vitest'
import { ruleName } from './rule-names.ts'

it('rules from the start have Russian names, own and renamed rules keep theirs', () => {
  expect(ruleName({ name: 'Boiler too hot', isDefault: true }, 'ru')).toBe('Котёл перегрет')
  expect(ruleName({ name: 'Boiler too hot', isDefault: true }, 'en')).toBe('Boiler too hot')
  expect(ruleName({ name: 'Boiler too hot', isDefault: false }, 'ru')).toBe('Boiler too hot')
  expect(ruleName({ name: 'constructor', isDefault: true }, 'ru')).toBe('constructor')
})
