// Two comforts of the forms, which work without them: one press is one send, and the number's operator by its beginning.
;(() => {
  const forms = document.querySelectorAll('form[data-moment]')
  for (const form of forms) sendOnce(form)
  const phone = document.getElementById('phone')
  const badge = document.getElementById('operator')
  if (phone && badge) hintOperator(phone, badge)

  function sendOnce(form) {
    const button = form.querySelector('button')
    const says = button.textContent
    form.addEventListener('submit', (event) => {
      if (button.disabled) return event.preventDefault()
      button.disabled = true
      button.textContent = form.dataset.moment
    })
    // Back from the next page, the form is as it was: ready.
    window.addEventListener('pageshow', () => {
      button.disabled = false
      button.textContent = says
    })
  }

  function hintOperator(input, place) {
    const form = input.form
    const table = form.dataset.operators.split(';').map((line) => line.split(':'))
    const show = () => {
      const text = hintOf(operatorOf(input.value, table), form, place)
      // Written only when it changes: a screen reader says it once.
      if (place.textContent !== text) place.textContent = text
    }
    input.addEventListener('input', show)
    form.addEventListener('change', show)
    window.addEventListener('pageshow', show)
  }

  // Three digits may be enough to know, but a hint that jumps while one types is noise: it waits for the fifth.
  function operatorOf(written, table) {
    const national = written.replace(/\D/g, '').replace(/^(0*256|0+)/, '')
    if (national.length < 5) return undefined
    const start = national.slice(0, 2)
    for (const [operator, prefixes] of table) if (prefixes.split(',').indexOf(start) !== -1) return operator
    return undefined
  }

  function hintOf(operator, form, place) {
    if (!operator) return ''
    const chosen =
      form.querySelector('[name=channel]:checked') || form.querySelector('[name=channel][type=hidden]')
    const name = place.getAttribute(`data-${operator}`)
    const other = chosen && chosen.value !== operator && chosen.value !== 'card'
    return place.dataset[other ? 'other' : 'same']
      .replace('{operator}', name)
      .replace('{chosen}', chosen ? chosen.dataset.name : '')
  }
})()
