// Two comforts of the forms, which work without them: a form is sent once however often its button is pressed, and the first
// digits of a number show its operator.
;(() => {
  const forms = document.querySelectorAll('form[data-moment]')
  for (const form of forms) sendOnce(form)
  const phone = document.getElementById('phone')
  const badge = document.getElementById('operator')
  if (phone && badge) hintOperator(phone, badge)

  function sendOnce(form) {
    const button = form.querySelector('button')
    const label = button.textContent
    form.addEventListener('submit', (event) => {
      if (button.disabled) return event.preventDefault()
      button.disabled = true
      button.textContent = form.dataset.moment
    })
    // The form is ready again when the customer comes back from the next page.
    window.addEventListener('pageshow', () => {
      button.disabled = false
      button.textContent = label
    })
  }

  function hintOperator(input, hint) {
    const form = input.form
    const table = form.dataset.operators.split(';').map((line) => line.split(':'))
    const show = () => {
      const text = hintOf(operatorOf(input.value, table), form, hint)
      // Written only if it changes, so that a screen reader says it once.
      if (hint.textContent !== text) hint.textContent = text
    }
    input.addEventListener('input', show)
    form.addEventListener('change', show)
    window.addEventListener('pageshow', show)
  }

  // Three digits may be enough, but a hint that changes while the customer types is noise: it waits for the fifth.
  function operatorOf(typed, table) {
    const national = typed.replace(/\D/g, '').replace(/^(0*256|0+)/, '')
    if (national.length < 5) return undefined
    const start = national.slice(0, 2)
    for (const [operator, prefixes] of table) if (prefixes.split(',').indexOf(start) !== -1) return operator
    return undefined
  }

  function hintOf(operator, form, hint) {
    if (!operator) return ''
    const chosen = form.querySelector('[name=channel]:checked') || form.querySelector('[name=channel][type=hidden]')
    const name = hint.getAttribute(`data-${operator}`)
    const differs = chosen && chosen.value !== operator && chosen.value !== 'card'
    return hint.dataset[differs ? 'other' : 'same']
      .replace('{operator}', name)
      .replace('{chosen}', chosen ? chosen.dataset.name : '')
  }
})()
