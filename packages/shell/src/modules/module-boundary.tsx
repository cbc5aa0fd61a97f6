import { Component, type ReactNode } from 'react'

interface Props {
  onError(message: string): void
  children: ReactNode
}

/** Catches an error that a module throws while it renders, reports it, and renders nothing. */
export class ModuleBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error instanceof Error ? error.message : String(error))
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children
  }
}
