import { describe, expect, it } from 'vitest'
import type { Html } from './html.ts'
import { signInPage } from './interaction-pages.ts'
import { ENGLISH } from './texts.ts'

const view = {
  urlOf: (action: string) => action,
  csrf: 'x',
  texts: ENGLISH,
  clientName: 'Storey',
  redirectUri: undefined,
  ownerUrl: undefined,
}
const textOf = (demo: Parameters<typeof signInPage>[0]['demo']) => (signInPage({ ...view, demo }).body as Html).text

describe('the sign-in page', () => {
  it('[HST-52] shows where the password of the demo developer is, if there is a demo developer', () => {
    const shown = textOf({ email: 'developer@example.com', passwordFile: '.data/demo-password' })
    expect(shown).toContain(
      'The password of developer@example.com is in the start message and in the file .data/demo-password.',
    )
    expect(textOf(undefined)).not.toContain('development')
  })
})
