// Sets the colour scheme before anything is drawn: what the visitor chose, else the system's.
document.documentElement.dataset.theme = localStorage.getItem("boardlab-theme") || "auto";
