import { StoreyError } from '@storey/sdk'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { OutdatedError } from '../queries/change-record.ts'
import { ErrorPanel } from './error-panel.tsx'

const problem = { type: 'about:blank', title: 'Too many requests', status: 429, detail: 'Slow down.' }
const rendered = (retryAfterSeconds: number) => {
  const error = new StoreyError({ ...problem, code: 'RATE_LIMITED' }, { retryAfterSeconds })
  return renderToStaticMarkup(createElement(ErrorPanel, { error }))
}
/** What a screen reader reads: the page without the elements that are hidden from it. */
const read = (html: string) => html.replace(/<(\w+)[^>]* aria-hidden="true"[^>]*>.*?<\/\1>/g, '')

describe('the error of a refused action that can be tried again later', () => {
  it('shows when the user can try again', () => {
    expect(rendered(12)).toContain('You can try again in 12 s')
    expect(read(rendered(0))).toContain('You can try again now.')
  })

  it('tells a screen reader to wait, without the seconds', () => {
    expect(read(rendered(12))).toContain('Wait before you try again.')
    expect(read(rendered(12))).not.toContain('You can try again')
  })
})

it('there is a separate text for an action that was not applied because somebody else has changed the record', () => {
  const html = renderToStaticMarkup(createElement(ErrorPanel, { error: new OutdatedError() }))
  expect(html).toContain('Somebody else has changed this')
  expect(html).toContain('Your action was not applied.')
})
