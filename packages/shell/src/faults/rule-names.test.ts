import { expect, it } from 'vitest'
import { ruleName } from './rule-names.ts'

it('default rules have Russian names; renamed rules and the rules of users keep their names', () => {
  expect(ruleName({ name: 'Boiler too hot', isDefault: true }, 'ru')).toBe('Котёл перегрет')
  expect(ruleName({ name: 'Boiler too hot', isDefault: true }, 'en')).toBe('Boiler too hot')
  expect(ruleName({ name: 'Boiler too hot', isDefault: false }, 'ru')).toBe('Boiler too hot')
  expect(ruleName({ name: 'constructor', isDefault: true }, 'ru')).toBe('constructor')
})
