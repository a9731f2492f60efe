/** Search and filter of the checks. A group is open while it holds a check that the search found. */
export const checksScript = /* js */ `
  const search = document.getElementById('check-search');
  const clearSearch = (() => {
    if (search === null) return () => {};
    const words = document.getElementById('check-words');
    const count = document.getElementById('check-count');
    const shownBefore = count.value;
    const boxes = [...search.querySelectorAll('input[type=checkbox]')];
    const groups = [...document.querySelectorAll('details.group')].map((group) => ({
      group,
      wasOpen: group.open,
      checks: [...group.querySelectorAll('details.check')].map((check) => ({
        check,
        verdict: ['fail', 'inconclusive', 'pass'].find((verdict) => check.classList.contains(verdict)),
        text: check.textContent.toLowerCase(),
      })),
    }));
    let wasSearching = false;
    const apply = () => {
      const wanted = words.value.toLowerCase().split(/\\s+/).filter((word) => word !== '');
      const verdicts = boxes.length === 0 ? ['fail', 'inconclusive', 'pass'] : boxes.filter((box) => box.checked).map((box) => box.value);
      const isSearching = wanted.length > 0 || boxes.some((box) => !box.checked);
      let found = 0;
      let all = 0;
      for (const one of groups) {
        let own = 0;
        if (isSearching && !wasSearching) one.wasOpen = one.group.open;
        for (const { check, verdict, text } of one.checks) {
          const fits = verdicts.includes(verdict) && wanted.every((word) => text.includes(word));
          check.hidden = !fits;
          if (fits) own += 1;
        }
        one.group.hidden = own === 0;
        if (isSearching || wasSearching) one.group.open = isSearching ? own > 0 : one.wasOpen;
        found += own;
        all += one.checks.length;
      }
      wasSearching = isSearching;
      count.value = isSearching ? found + ' of ' + all + (all === 1 ? ' check' : ' checks') : shownBefore;
    };
    search.addEventListener('input', apply);
    search.hidden = false;
    return () => {
      words.value = '';
      for (const box of boxes) box.checked = true;
      apply();
    };
  })();
`;
