/** A link leads to its place, also where that is folded away or left out by the search. */
export const anchorScript = /* js */ `
  const goTo = (id) => {
    const place = id === '' ? null : document.getElementById(id);
    if (place === null) return;
    if (place.closest('[hidden]') !== null) clearSearch();
    for (let at = place; at !== null; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    document.querySelector('.here')?.classList.remove('here');
    if (place.matches('.record, .check, tbody')) place.classList.add('here');
    // Of a story the beginning, if the place is in sight then.
    const story = place.closest('.story');
    (story ?? place).scrollIntoView();
    if (story !== null && place.getBoundingClientRect().bottom > innerHeight) place.scrollIntoView({ block: 'center' });
  };
  const followHash = () => {
    const { place, span: wanted } = parsedHash();
    // A link names a place alone: the part of the run stays as it is.
    if (wanted === null || time === null) writeHash();
    else setSpan(wanted);
    goTo(place);
  };
  addEventListener('hashchange', followHash);
  // A link to the place that the address already names changes nothing in it.
  addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (link && link.hash.slice(1) === parsedHash().place) {
      event.preventDefault();
      followHash();
    }
  });
  goTo(parsedHash().place);
`;
