# The package works without a compiler, Python or a manual reader.
set -ex
cd /user

# These are all files except those of this test and the records of dpkg.
files() {
  find / \( -path /proc -o -path /user -o -path /var \) -prune -o -print | sort
}

files >before
dpkg -i weir.deb
weir --version
weir compile classes.onnx -o classes.so
dpkg --purge weir
files >after
diff before after
echo purged
