/// <reference types="vite/client" />
import scalarUrl from '#scalar-url'
import type { ApiDocument } from './document.ts'

/** The settings of Scalar that this page uses: https://scalar.com/products/api-references/configuration */
export interface ScalarSettings {
  content: ApiDocument
  customFetch: typeof fetch
  darkMode: boolean
  localization: { locale: string }
  [setting: string]: unknown
}

interface Scalar {
  createApiReference(target: HTMLElement, settings: ScalarSettings): { destroy(): void }
}

/** Loads Scalar's script, which defines a global. */
export async function loadScalar(): Promise<Scalar> {
  // Scalar validates with zod. Without `jitless` zod tests whether `eval` is allowed, and this test would violate the
  // page's content security policy.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
  await new Promise<void>((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src: scalarUrl })
    script.onload = () => resolve()
    script.onerror = () => reject(new Error(`${scalarUrl} could not be loaded`))
    document.head.append(script)
  })
  return (globalThis as unknown as { Scalar: Scalar }).Scalar
}

/** With these settings the reference sends requests only to our own server, and stores no credential. */
export const OWN_SERVER_ONLY = {
  telemetry: false,
  withDefaultFonts: false,
  persistAuth: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
}
