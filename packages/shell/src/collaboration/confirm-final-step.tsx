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

/** Asks the user to confirm a step that cannot be undone. If the step fails, the page behind the dialog shows why. */
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
