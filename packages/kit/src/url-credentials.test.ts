import { describe, expect, it } from 'vitest'
import { credentialsIn } from './url-credentials.ts'

describe('the credentials in a URL', () => {
  it.each([
    ['right', 'right'],
    ['p%40ss%2Fw%C3%B6rd', 'p@ss/wörd'],
    ['100%', '100%'],
    ['50%off', '50%off'],
    ['a%2', 'a%2'],
    ['a%25%zz', 'a%%zz'],
    ['%40%', '@%'],
    ['%FFb', '%FFb'],
    ['', ''],
  ])('are decoded: the password %j is %j', (encoded, password) => {
    expect(credentialsIn(new URL(`nats://storey:${encoded}@localhost`))).toEqual({ username: 'storey', password })
    expect(credentialsIn(new URL(`nats://${encoded}@localhost`))).toEqual({ username: password, password: '' })
  })
})
