#!/usr/bin/env bash
# One comment on a pull request for each report: made once, then updated. Reads RUNNER_TEMP, GITHUB_REPOSITORY, PULL_REQUEST,
# REPORT and GH_TOKEN; needs `gh`, which GitHub's runners have.
set -euo pipefail
marker="<!-- tryon: $REPORT -->"
body=$RUNNER_TEMP/tryon-comment.md
{
  echo "$marker"
  for part in summary comparison; do
    file=$RUNNER_TEMP/tryon-$part.md
    [ "$part" = summary ] && file=$RUNNER_TEMP/tryon-run/summary.md
    [ ! -e "$file" ] || { cat "$file"; echo; }
  done
  # A comment holds 65,536 characters.
} | head -c 60000 >"$body"
comments=repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments
id=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$marker\")) | .id" | head -n 1)
if [ -n "$id" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" --field "body=@$body" --silent
else
  gh api --method POST "$comments" --field "body=@$body" --silent
fi
