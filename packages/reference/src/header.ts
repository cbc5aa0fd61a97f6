import { currentLocale, translator, type Visitor } from '@storey/web/visitor'
import { referenceTexts } from './texts.ts'

/** The bar above the reference. */
export interface Header {
  readonly element: HTMLElement
  /**
   * Shows the name of the person who has signed in, or a button to sign in. Shows nothing if `visitor` is undefined:
   * the identity provider is then absent or unreachable.
   */
  showVisitor(visitor: Visitor | undefined): void
  showFailure(): void
}

export function createHeader(title: string): Header {
  const t = translator(referenceTexts, currentLocale())
  const status = create('span', { className: 'status', textContent: t('loading') })
  status.setAttribute('role', 'status')
  const element = create(
    'header',
    { className: 'bar' },
    create('a', { className: 'home', href: '/', textContent: t('home') }),
    create('span', { className: 'title', textContent: title }),
    status,
    create('a', { className: 'document', href: '/api/v1/openapi.json', textContent: t('document') }),
  )
  return {
    element,
    showVisitor(visitor) {
      if (!visitor) return status.replaceChildren()
      if (visitor.session) return status.replaceChildren(t('signedIn', { name: visitor.session.user.name }))
      const button = create('button', { type: 'button', textContent: t('signIn') })
      button.addEventListener('click', () => void visitor.signIn())
      status.replaceChildren(button, create('span', { className: 'hint', textContent: t('signedOut') }))
    },
    showFailure: () => status.replaceChildren(t('failed')),
  }
}

function create<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: HTMLElement[]
): HTMLElementTagNameMap[Tag] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}
