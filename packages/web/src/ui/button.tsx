import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link, type LinkProps } from '../router/link.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './spinner.tsx'

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

interface Appearance {
  label: string
  kind?: ButtonKind | undefined
  icon?: IconName | undefined
  /** The label becomes the accessible name and the tooltip. */
  iconOnly?: boolean | undefined
  small?: boolean | undefined
}

export type ButtonProps = Appearance & { isBusy?: boolean } & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'>

const classOf = ({ kind = 'plain', iconOnly, small }: Appearance) =>
  ['st-button', `st-button-${kind}`, iconOnly && 'st-button-icon', small && 'st-button-small'].filter(Boolean).join(' ')

function content({ label, icon, iconOnly }: Appearance, isBusy = false): ReactNode {
  return (
    <>
      {isBusy ? <Spinner /> : icon ? <Icon name={icon} /> : null}
      {iconOnly ? null : <span>{label}</span>}
    </>
  )
}

export function Button({ label, kind, icon, iconOnly, small, isBusy, disabled, ...rest }: ButtonProps): ReactNode {
  const appearance = { label, kind, icon, iconOnly, small }
  return (
    <button
      type="button"
      className={classOf(appearance)}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...(iconOnly ? { 'aria-label': label, title: label } : {})}
      {...rest}
    >
      {content(appearance, isBusy)}
    </button>
  )
}

/** A link that looks like a button. An absolute URL becomes a plain link. */
export function ButtonLink({ to, label, kind, icon, iconOnly, small, ...rest }: Appearance & LinkProps): ReactNode {
  const appearance = { label, kind, icon, iconOnly, small }
  const hint = iconOnly ? { 'aria-label': label, title: label } : {}
  if (/^https?:/.test(to)) {
    return (
      <a className={classOf(appearance)} href={to} {...hint} {...rest}>
        {content(appearance)}
      </a>
    )
  }
  return (
    <Link className={classOf(appearance)} to={to} {...hint} {...rest}>
      {content(appearance)}
    </Link>
  )
}
