"""winnowkit."""
