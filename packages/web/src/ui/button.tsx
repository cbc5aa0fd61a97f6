import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Link, type LinkProps } from '../router/link.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Spinner } from './spinner.tsx'

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

interface Looks {
  label: string
  kind?: ButtonKind | undefined
  icon?: IconName | undefined
  /** The label is for those who cannot see the icon, and a hint for the others. */
  iconOnly?: boolean | undefined
  small?: boolean | undefined
}

export type ButtonProps = Looks & { isBusy?: boolean } & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'>

const classOf = ({ kind = 'plain', iconOnly, small }: Looks) =>
  ['st-button', `st-button-${kind}`, iconOnly && 'st-button-icon', small && 'st-button-small'].filter(Boolean).join(' ')

function inside({ label, icon, iconOnly }: Looks, isBusy = false): ReactNode {
  return (
    <>
      {isBusy ? <Spinner /> : icon ? <Icon name={icon} /> : null}
      {iconOnly ? null : <span>{label}</span>}
    </>
  )
}

export function Button({ label, kind, icon, iconOnly, small, isBusy, disabled, ...rest }: ButtonProps): ReactNode {
  const looks = { label, kind, icon, iconOnly, small }
  return (
    <button
      type="button"
      className={classOf(looks)}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...(iconOnly ? { 'aria-label': label, title: label } : {})}
      {...rest}
    >
      {inside(looks, isBusy)}
    </button>
  )
}

/** A link that looks like a button. An address of another origin is a plain link. */
export function ButtonLink({ to, label, kind, icon, iconOnly, small, ...rest }: Looks & LinkProps): ReactNode {
  const looks = { label, kind, icon, iconOnly, small }
  const hint = iconOnly ? { 'aria-label': label, title: label } : {}
  if (/^https?:/.test(to)) {
    return (
      <a className={classOf(looks)} href={to} {...hint} {...rest}>
        {inside(looks)}
      </a>
    )
  }
  return (
    <Link className={classOf(looks)} to={to} {...hint} {...rest}>
      {inside(looks)}
    </Link>
  )
}
