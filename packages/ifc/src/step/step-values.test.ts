import { describe, expect, it } from 'vitest'
import { readArguments } from './step-values.ts'

describe('the arguments of an entity', () => {
  it.each([
    "#1=IFCWALL('a',2.5)",
    "#1 /* not the = of the entity, nor IFCDOOR('b') */ = IFCWALL('a',2.5)",
    "#1 = /* = */ IFCWALL /* ( */ ('a' /* , */ , 2.5)",
  ])('are found, with comments in any place: %s', (text) => {
    expect(readArguments(Buffer.from(text))).toEqual(['a', 2.5])
  })
})
