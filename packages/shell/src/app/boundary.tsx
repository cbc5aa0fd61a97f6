import { ErrorPanel, Page } from '@storey/web'
import { Component, type ReactNode } from 'react'

interface BoundaryProps {
  title: string
  children: ReactNode
}

/**
 * Shows the error of a page instead of the page; the frame (`frame.tsx`) stays visible. Set `key` to the path of the
 * page, so that another page starts without the error.
 */
export class PageBoundary extends Component<BoundaryProps, { error: unknown }> {
  override state: { error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error: error ?? new Error('unknown') }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <Page title={this.props.title}>
        <ErrorPanel error={error} onRetry={() => location.reload()} />
      </Page>
    )
  }
}
