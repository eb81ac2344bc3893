"""Taking personal data out of questions before they are shown or kept."""
