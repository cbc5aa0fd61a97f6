import { type ComponentType, type LazyExoticComponent, lazy as lazyComponent } from 'react'
import type { PageProps } from './page-props.ts'

/** A page whose code is loaded on demand: when it is shown, or before by `preload`. */
export interface LazyPage extends LazyExoticComponent<ComponentType<PageProps>> {
  preload(): void
}

export function lazy(load: () => Promise<{ default: ComponentType<PageProps> }>): LazyPage {
  // A failure is reported when the page is shown.
  return Object.assign(lazyComponent(load), { preload: () => void load().catch(() => undefined) })
}
