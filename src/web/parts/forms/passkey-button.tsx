type PasskeyButtonProps = { challenge: string; says: string; failed: string; field: string }

/**
 * A button to use a passkey instead of a code. The script shows it if the browser supports passkeys: it fetches the options from the
 * address `challenge` and puts the passkey's response into the field `field`.
 */
export const PasskeyButton = ({ challenge, says, failed, field }: PasskeyButtonProps) => (
  <p hidden data-passkey={challenge} data-field={field} data-failed={failed}>
    <button type="button" class="button plain">
      {says}
    </button>
    <output class="hint" />
  </p>
)
