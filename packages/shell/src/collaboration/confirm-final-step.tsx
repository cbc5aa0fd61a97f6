import { Button, Dialog } from '@storey/web'
import type { ReactNode } from 'react'

interface ConfirmFinalStepProps {
  title: string
  /** The label of the button that confirms. */
  confirm: string
  /** The label of the button that closes the dialog. */
  back: string
  isBusy: boolean
  onConfirm(): void
  onClose(): void
  children: ReactNode
}

/** Confirms a step that cannot be undone. The page behind the dialog shows an error. */
export function ConfirmFinalStep({
  title,
  confirm,
  back,
  isBusy,
  onConfirm,
  onClose,
  children,
}: ConfirmFinalStepProps): ReactNode {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button label={back} onClick={onClose} />
          <Button kind="danger" label={confirm} isBusy={isBusy} onClick={onConfirm} />
        </>
      }
    >
      {children}
    </Dialog>
  )
}
