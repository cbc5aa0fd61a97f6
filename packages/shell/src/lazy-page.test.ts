import { createElement, Suspense } from 'react'
import { renderToString } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { lazy } from './lazy-page.ts'

const Plan = () => 'the plan'
const shown = (page: ReturnType<typeof lazy<object>>) =>
  renderToString(createElement(Suspense, { fallback: 'loading' }, createElement(page)))

describe('a page whose code is loaded on demand', () => {
  it('[SHL-32] is rendered without its fallback once it has been preloaded', async () => {
    const page = lazy(async () => ({ default: Plan }))
    page.preload()
    await new Promise((resolve) => setImmediate(resolve))
    expect(shown(page)).toContain('the plan')
    expect(shown(page)).not.toContain('loading')
  })

  it('shows its fallback while its code is loading', () => {
    const page = lazy<object>(() => new Promise(() => undefined))
    expect(shown(page)).toContain('loading')
  })
})
